#!/bin/sh
# Moves archives between $COPY_DIR and the folder $PREFIX of the bucket $BUCKET. It uses only mc and the shell's own commands, because
# the image holds little else.
#   store.sh upload      all archives there, and the newest once more as latest.tar
#   store.sh download    the archive $COPY
set -eu

# First line of a file, with or without a line end.
first_line() {
  read -r line < "$1" || [ -n "$line" ]
  printf '%s' "$line"
}

# As an environment variable they stay out of the process list. mc takes them as they are: no part of it is decoded.
access_key="$(first_line "${KEYS_DIR}/access-key")"
secret_key="$(first_line "${KEYS_DIR}/secret-key")"
export MC_HOST_store="${STORE_URL%%://*}://${access_key}:${secret_key}@${STORE_URL#*://}"
folder="store/${BUCKET}/${PREFIX}"

case "$1" in
  upload)
    for archive in "$COPY_DIR"/*.tar; do
      mc --quiet cp "$archive" "${folder}/${archive##*/}"
      mc --quiet cp "$archive" "${folder}/latest.tar"
    done
    ;;
  download) mc --quiet cp "${folder}/${COPY}" "${COPY_DIR}/${COPY}" ;;
esac
