#!/bin/sh
# Brings the object store to the wanted state: the bucket, and one user with one policy for each file in /users
# (name = access key, content = secret key). Every step may run again. It uses only mc and the shell's own commands,
# because the mc image holds little else.
set -eu

# First line of a file, with or without a line end.
first_line() {
  read -r line < "$1" || [ -n "$line" ]
  printf '%s' "$line"
}

# The passwords are letters and digits, so they need no escaping in a URL; as an environment variable they stay
# out of the process list.
root_user="$(first_line "$ROOT_USER_FILE")"
root_password="$(first_line "$ROOT_PASSWORD_FILE")"
export MC_HOST_store="https://${root_user}:${root_password}@${STORE_HOST}"

mc ready store

mc mb --ignore-existing "store/${BUCKET}"
# Models never change under their key: versions would only keep deleted weights on the volume.
mc version suspend "store/${BUCKET}"
mc anonymous set none "store/${BUCKET}"

for file in /users/*; do
  user="${file##*/}"
  secret="$(first_line "$file")"
  mc admin policy create store "$user" "/policies/${user}.json"
  printf '%s\n%s\n' "$user" "$secret" | mc admin user add store
  # Some versions of the server call it an error to attach a policy that is attached already.
  case "$(mc admin user info --json store "$user")" in
    *"\"policyName\":\"${user}\""*) echo "policy ${user} is attached" ;;
    *) mc admin policy attach store "$user" --user "$user" ;;
  esac
done
echo "complete: bucket ${BUCKET} and its users are in place"
