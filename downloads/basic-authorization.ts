/** `Authorization` header from a URL's name and password; undefined without either. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") {
    return undefined;
  }
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
