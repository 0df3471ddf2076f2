/** Type and name of a URN; other text is unchanged. */
export function shortResource(resource: string): string {
  const parts = resource.split("::");
  return parts.length < 4 ? resource : `${parts[2]?.split("$").pop()} ${parts[3]}`;
}
