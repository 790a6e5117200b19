"""The main job: a requirement in, ranked designs out."""
