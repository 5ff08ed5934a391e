"""Entailment: does a text imply a hypothesis, deny it or leave it open, and which part says so?"""
