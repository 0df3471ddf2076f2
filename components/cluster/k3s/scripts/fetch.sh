#!/bin/sh
# Parts of k3s, by checksum: from the bundle's folder, or from the internet.

# fetch FILE URL SHA256: a copy of it in DOWNLOADED. A download that broke goes on where it was.
fetch() {
  DOWNLOADED=$KEPT/downloads/$3
  if [ -n "$BUNDLE" ]; then
    from_bundle "k3s/$1" "$3"
    return
  fi
  ! has_sum "$DOWNLOADED" "$3" || return 0
  mkdir -p "$KEPT/downloads"
  say "fetching $2"
  if ! has_sum "$DOWNLOADED.part" "$3"; then
    download "$2" "$DOWNLOADED.part" ||
      fail "$2 cannot be fetched by the machine $NODE: let it reach that address, give it a proxy (https_proxy in /etc/environment), or bring everything along: npm run bundle, and cluster.k3s.bundle"
  fi
  if ! has_sum "$DOWNLOADED.part" "$3"; then
    rm "$DOWNLOADED.part"
    fail "what $2 gave is not the pinned file (sha256 $3): nothing of it was used. Run it again; if it stays so, something between the machine and the internet changes downloads"
  fi
  mv "$DOWNLOADED.part" "$DOWNLOADED"
}

# From the start where the server cannot go on: curl ends with 22, 33 or 36 then. A connection that breaks again loses nothing.
download() {
  if ! command -v curl >/dev/null; then
    wget -q -c -O "$2" "$1" >&2 || { rm -f "$2" && wget -q -O "$2" "$1" >&2; }
    return
  fi
  ended=0
  curl_to "$@" --continue-at - || ended=$?
  case $ended in
    22 | 33 | 36) rm -f "$2" && curl_to "$@" ;;
    *) return "$ended" ;;
  esac
}

# Below a kilobyte a second for a minute is a connection that hangs.
curl_to() {
  url=$1
  target=$2
  shift 2
  curl --fail --location --silent --show-error --retry 5 --connect-timeout 20 --speed-limit 1024 --speed-time 60 \
    --output "$target" "$@" "$url" >&2
}

# from_bundle PATH SHA256: DOWNLOADED is root's own copy of the bundle's file, which whoever copied the bundle cannot change.
from_bundle() {
  mkdir -p "$KEPT/downloads"
  DOWNLOADED=$KEPT/downloads/$2
  copy_pinned "$1" "$2" "$DOWNLOADED"
}

# copy_pinned PATH SHA256 COPY: of the bundle's file. The copy is what is looked at, and what is used.
copy_pinned() {
  rm -f "$3"
  if [ -f "$BUNDLE/$1" ] && cp "$BUNDLE/$1" "$3" && has_sum "$3" "$2"; then
    return
  fi
  rm -f "$3"
  fail "$BUNDLE/$1 on the machine $NODE is not there, or not the pinned file (sha256 $2): make the bundle again with npm run bundle, and copy it there"
}

# k3s imports every archive of this folder when it starts.
install_images() {
  IMAGES=$K3S_DATA/agent/images
  if [ -z "$BUNDLE" ]; then
    return
  fi
  for archive in "$BUNDLE/images"/*; do
    [ ! -e "$archive" ] || is_listed "$(basename "$archive")" ||
      fail "$archive on the machine $NODE is not in the list of the bundle: nothing of it was used. Take it away, or copy the bundle there again"
  done
  make_folder "$IMAGES"
  install_image "k3s/$IMAGES_FILE" "$IMAGES_SHA256"
  printf '%s\n' "$BUNDLE_ARCHIVES" | while read -r sum name; do
    [ -z "$name" ] || install_image "images/$name" "$sum"
  done
  for archive in "$IMAGES"/*; do
    name=$(basename "$archive")
    if [ -f "$archive" ] && [ "$name" != "$IMAGES_FILE" ] && ! is_listed "$name"; then
      changing
      rm "$archive"
    fi
  done
}

# BUNDLE_ARCHIVES has a line for each: sum and name.
is_listed() {
  printf '%s\n' "$BUNDLE_ARCHIVES" | cut -d ' ' -f 2- | grep -qxF -e "$1"
}

# install_image PATH SHA256. A file with a second name may be somebody else's too.
install_image() {
  installed=$IMAGES/$(basename "$1")
  if has_sum "$installed" "$2" && [ "$(stat -c '%u %h' "$installed")" = '0 1' ]; then
    return
  fi
  say "taking $(basename "$1") from the bundle"
  changing
  copy_pinned "$1" "$2" "$(beside "$IMAGES")"
  mv -f "$(beside "$IMAGES")" "$installed"
}
