"""What earlier runs proved and nothing has changed since (`--changed`): `follows` says what a
verdict follows from, `places` names code so that it is found in another image, `proofs` keeps
and gives back."""
