/**
 * Installs integration dependencies: `npm run e2e:setup [-- <part>…]`. Default: all except those on
 * request.
 *
 * Uses what is found on the machine. Failures do not stop others; exits with 1 if any failed, 2 for
 * an unknown name.
 */
import { nearest } from "../../catalog/nearest";
import { messageOf } from "../../names/message-of";
import { cacheFolder } from "./cache";
import { PARTS } from "./parts";
import { CRDS } from "./pins";
import { Progress } from "./progress";
import { RELEASES_VARIABLE, requireMirror } from "./releases";
import { setUp } from "./setup";

const USAGE = `Usage: npm run e2e:setup [-- <part>…]

Installs the real parts that end-to-end tests run (docs/real-parts.md), into XDG_CACHE_HOME or ~/.cache. Without names all but those
that are large. What is found on the machine is used.

  INFERENCE_STACKS_RELEASES=URL  download released binaries from a mirror; "off": build them

Exit status: 0 all are there, 1 one failed, 2 for a name that is no part.
`;

async function main(names: readonly string[]): Promise<number> {
  const known = [...PARTS.map(({ name }) => name), CRDS];
  if (names.some((name) => ["--help", "-h"].includes(name))) {
    console.log(`${USAGE}\nParts: ${known.join(", ")}`);
    return 0;
  }
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const guesses = new Set(unknown.map((name) => nearest(name, known)));
    console.error(
      `no such part: ${unknown.join(", ")}; did you mean ${[...guesses].join(", ")}? There are: ${known.join(", ")}`,
    );
    return 2;
  }
  // Checked once, not per dependency.
  const mirror = process.env[RELEASES_VARIABLE];
  if (mirror && mirror !== "off") {
    requireMirror(mirror);
  }
  const byDefault = [...PARTS.filter(({ onRequest }) => onRequest !== true).map(({ name }) => name), CRDS];
  const wanted = names.length > 0 ? names : byDefault;
  const progress = new Progress((line) => console.log(line));
  progress.line(`Real parts for end-to-end tests, kept in ${cacheFolder()}`);
  const failed = await setUp(wanted, progress);
  progress.line(`${wanted.length - failed.length} parts ready, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  },
);
