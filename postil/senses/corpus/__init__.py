"""Making a labelled corpus: plan, independent annotation, agreement, arbitration, release."""
