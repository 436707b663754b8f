"""Densities, and the Gen-LRA scores made of them: closed form and refit."""
