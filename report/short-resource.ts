/** What a finding is about, for people: type and name of a resource's URN. Anything else stays as it is. */
export function shortResource(resource: string): string {
  const parts = resource.split("::");
  return parts.length < 4 ? resource : `${parts[2]?.split("$").pop()} ${parts[3]}`;
}
