"""OpenSpiel's bots as policies here; needs the extra ``openspiel``."""
