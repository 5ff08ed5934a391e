"""From a judgement or an analysis to what people read: words, HTML, SVG."""
