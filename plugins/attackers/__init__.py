"""Who guesses a sensitive column: models that learn on the synthetic rows alone.

One file a model; `task` for what each is given and gives, `encodings` for how it reads the known
columns, `catalog` for their names, `training` to run any of them.
"""
