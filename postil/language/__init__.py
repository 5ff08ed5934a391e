"""Words to Documents: tokens, lemmas, tags, tree, chunks, negation and numbers of English text."""
