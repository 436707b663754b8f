"""RAPID, attribute disclosure: how many sensitive values are guessed confidently, beyond chance."""
