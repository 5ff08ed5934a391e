"""Learners and baselines: from labelled corpora to judgements."""
