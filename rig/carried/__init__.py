"""What earlier runs proved and nothing has changed since (`--changed`): `follows` says what a
verdict follows from, `places` names code so that it is found in another image (`entries` are rows
in such names), `proofs` keeps and gives back. `progress` does so for the sessions of a deep run;
`outlook` tells what it has left."""
