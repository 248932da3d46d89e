"""What is asked and known of one application: shares of its slots, its executors, its machine, and who governs it."""
