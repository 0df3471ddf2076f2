/** What was done to a resource, in the command line's words and signs. */
const DONE = /^ (?:\+|~|-|\+-) +(?<type>\S+) (?<name>\S+) (?<done>created|updated|deleted|replaced)\b/gm;

/** What a preview says of what changes. */
const PLANNED = /^ (?:~|\+-) +(?<type>\S+) (?<name>\S+) (?<done>update|replace)\b/gm;

/** Number of resources that `up` says it has created so far. */
export function createdCount(output: string): number {
  return [...output.matchAll(DONE)].filter(({ groups }) => groups?.done === "created").length;
}

/** Whether `up` says of a resource of this type that it begins to create it, and not yet that it has. */
export function isCreating(output: string, type: string): boolean {
  const said = (done: string) => output.split(`${type} `).filter((after) => after.split(" ", 2)[1] === done).length;
  return said("creating") > said("created");
}

/** What `up` did: `<done> <Kind> <name>`, sorted. */
export function steps(output: string): string[] {
  return found(output, DONE);
}

/** What a preview announces, in the words of `steps`. */
export function plannedSteps(output: string): string[] {
  return found(output, PLANNED).map((step) => step.replace(" ", "d "));
}

function found(output: string, pattern: RegExp): string[] {
  return [...output.matchAll(pattern)]
    .map(
      ({ groups: { type = "", name = "", done = "" } = {} }) =>
        `${done} ${type.slice(type.lastIndexOf(":") + 1)} ${name}`,
    )
    .sort();
}
