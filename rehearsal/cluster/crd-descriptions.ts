/**
 * `description` of a schema with its value and continuation lines, which are indented further.
 * Without a value it is a field name. Printer columns keep theirs, which starts a list item.
 */
const DESCRIPTION = /^( *)description: \S.*\n(?:(?:\1 .*)?\n)*/gm;

/**
 * Removes field descriptions, half of a definition's text, which the API server would store,
 * convert and publish.
 *
 * @param definition YAML from controller-gen or similar.
 */
export function withoutDescriptions(definition: string): string {
  return definition.replace(DESCRIPTION, "");
}
