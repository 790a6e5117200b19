"""Growth in phases: a network that is sized for its last phase, and what each phase needs and buys of it."""
