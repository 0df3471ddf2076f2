/** The header `Authorization` for a name and password as a URL has them; none where it has neither. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") {
    return undefined;
  }
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
