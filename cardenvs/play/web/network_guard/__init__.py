"""Guards of a table on a network: limits on connections, requests, log lines and policies."""
