/**
 * The key `description` of a schema with the text beside it, and the lines that this goes on in, which are indented further. What has
 * nothing beside it is a field of that name. Those of printer columns, which begin a list's item, stay: there, they do.
 */
const DESCRIPTION = /^( *)description: \S.*\n(?:(?:\1 .*)?\n)*/gm;

/**
 * A definition without what its fields mean: half of its text, which the API server keeps, converts and publishes for nobody here.
 *
 * @param definition YAML as controller-gen and its kin write it.
 */
export function withoutDescriptions(definition: string): string {
  return definition.replace(DESCRIPTION, "");
}
