"""Which keys meet: counting pairs in bounded memory, and how long what was counted stays worth something."""
