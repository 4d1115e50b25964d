"""Three small games on `cardenvs.contract.spec`, for what the games that come with the package do not have."""
