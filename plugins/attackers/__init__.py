"""Who guesses a sensitive column: models that learn on the synthetic rows alone.

One file a model, `training` to run any of them by name, `problem` for what each is given and gives.
"""
