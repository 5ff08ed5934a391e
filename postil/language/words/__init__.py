"""What the world knows: the WordNet graph and its measures, walks on it, word spaces, verbs and roles."""
