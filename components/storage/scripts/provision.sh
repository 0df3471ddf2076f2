#!/bin/sh
# Brings the object store to the wanted state: the bucket, and one user with one policy for each role, which is a pair
# of files in $USERS_FOLDER (<role>.access-key: the user's name, <role>.secret-key) and a policy in $POLICIES_FOLDER.
# Other users of these kinds of roles are disabled: their model is gone, or their keys were replaced. Every step may run again. It uses only mc and the shell's own commands, because the image holds little
# else. What mc says of a user holds the user's name, which is a secret: it does not go to the log.
set -eu

# First line of a file, with or without a line end.
first_line() {
  read -r line < "$1" || [ -n "$line" ]
  printf '%s' "$line"
}

# Names and passwords are letters and digits, so they need no escaping in a URL; as an environment variable they stay
# out of the process list.
root_user="$(first_line "$ROOT_USER_FILE")"
root_password="$(first_line "$ROOT_PASSWORD_FILE")"
export MC_HOST_store="https://${root_user}:${root_password}@${STORE_HOST}"

mc ready store

mc mb --ignore-existing "store/${BUCKET}"
# Old versions would only be weights that nobody reads, and fill the volume.
mc version suspend "store/${BUCKET}"
mc anonymous set none "store/${BUCKET}"

listed=" "
for file in "$USERS_FOLDER"/*.access-key; do
  role="${file##*/}"
  role="${role%.access-key}"
  user="$(first_line "$file")"
  secret="$(first_line "${file%.access-key}.secret-key")"
  listed="${listed}${user} "
  mc admin policy create store "$role" "${POLICIES_FOLDER}/${role}.json" > /dev/null
  printf '%s\n%s\n' "$user" "$secret" | mc admin user add store > /dev/null
  # Some versions of the server call it an error to attach a policy that is attached already.
  case "$(mc admin user info --json store "$user")" in
    *"\"policyName\":\"${role}\""*) ;;
    *) mc admin policy attach store "$role" --user "$user" > /dev/null ;;
  esac
  echo "${role}: its user and policy are in place"
done

# One user on each line: {"status":"success","accessKey":"…","policyName":"…","userStatus":"enabled"}. Not in a pipe, which
# would hide that mc failed.
users="$(mc admin user list --json store)"
disabled=0
while read -r line; do
  case "$line" in *'"userStatus":"enabled"'*) ;; *) continue ;; esac
  # Somebody else's user is none of our business.
  case "$line" in
    *'"policyName":"reader-'* | *'"policyName":"backup-'* | *'"policyName":"sync-writer"'* | *'"policyName":"store-metrics"'*) ;;
    *) continue ;;
  esac
  user="${line#*\"accessKey\":\"}"
  user="${user%%\"*}"
  case "$listed" in *" ${user} "*) continue ;; esac
  mc admin user disable store "$user" > /dev/null
  disabled=$((disabled + 1))
done << END
${users}
END
echo "complete: bucket ${BUCKET} and its users are in place; disabled, since no longer listed: ${disabled}"
