"""Which sense a word has in its context, learned from labelled examples of that word; for any language."""
