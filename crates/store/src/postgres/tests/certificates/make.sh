#!/usr/bin/env bash
# Makes the certificates of the TLS tests, which are valid for a hundred years. Their keys open nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
new_key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"; }
authority() { # name
  new_key "$1.key"
  openssl req -x509 -new -key "$1.key" -subj "/CN=$1" -days 36500 -out "$1.pem" \
    -addext basicConstraints=critical,CA:TRUE -addext subjectAltName=DNS:localhost
}
server() { # name, host name, first and last day
  new_key "$1.key"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  printf 'basicConstraints=critical,CA:FALSE\nsubjectAltName=DNS:%s\n' "$2" > "$1.ext"
  rm -f index.txt* ; : > index.txt
  printf '[ca]\ndefault_ca=one\n[one]\ndatabase=index.txt\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n' > ca.conf
  openssl ca -batch -notext -config ca.conf -cert authority.pem -keyfile authority.key -extfile "$1.ext" \
    -startdate "$3" -enddate "$4" -in "$1.csr" -out "$1.pem"
}
authority authority
server good localhost 20260101000000Z 21251231000000Z
server elsewhere elsewhere.example 20260101000000Z 21251231000000Z
server expired localhost 20250101000000Z 20250201000000Z
# The authority's key signed all it had to; that of the test server `authority` is needed.
find . -type f ! -name '*.pem' ! -name '*.key' ! -name make.sh -delete
for name in [0-9A-F]*.pem; do rm -f "$name"; done
