/** The member of a tagged union that a word of another project means, such as `local` for `aks` as `kind` of a cluster. */
import { folded } from "./core/near-names";
import table from "./foreign-words.json";

const MEMBERS = new Map(
  table.values.flatMap((row) =>
    "member" in row
      ? row.in.flatMap((path) => row.words.map((word) => [keyOf(path.split(".").at(-1), word), row.member] as const))
      : [],
  ),
);

export function foreignMember(tag: string, word: string): string | undefined {
  return MEMBERS.get(keyOf(tag, word));
}

function keyOf(tag: string | undefined, word: string): string {
  return `${tag} ${folded(word)}`;
}
