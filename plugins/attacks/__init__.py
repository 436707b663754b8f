"""The membership attacks that everyone compares with, a file a family, and all of them together."""
