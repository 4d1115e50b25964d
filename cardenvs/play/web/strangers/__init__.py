"""Guards of a table against strangers on a network: limits on connections, requests, log lines and policies."""
