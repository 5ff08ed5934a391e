"""The simple systems every learner has to beat."""
