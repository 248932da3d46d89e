"""What users write into files, checked field by field."""
