import { expect, it } from "vitest";
import { evaluatePolicies, type RecordedInputs } from "../../policies/evaluate";
import { ATTACKS } from "./attacks/all";
import { UNKNOWN } from "./cases";

type Path = readonly (string | number)[];

/** They search for what looks like something, wherever it stands: of what is unknown, nobody can say that it might. */
const SEARCHING = ["no-plaintext-secret", "restricted-security-context", "scheduling-limits", "gpu-exclusive"];

/** A provider waits for its cluster: it is judged when it is registered, and before that there is no text of a user's in it. */
const WAITING = ["kubeconfig"];

/** What a chart takes under names of its own is found by its shape: the same. */
const isOfChart = (path: Path) => path[0] === "values";

/** Every place in properties, the outer ones first. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) {
    return [path];
  }
  const below = Object.entries(value).flatMap(([key, child]) =>
    placesIn(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...below];
}

function withUnknown(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) {
    return UNKNOWN;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? withUnknown(item, rest) : item));
  }
  const holder = value as Readonly<Record<string, unknown>>;
  return { ...holder, [key]: withUnknown(holder[key], rest) };
}

it.each(ATTACKS.filter(([, policy]) => !SEARCHING.includes(policy)))(
  "%s is not said to pass while a value is unknown",
  (_, policy, resources) => {
    const green: string[] = [];
    for (const [index, { inputs }] of resources.entries()) {
      for (const path of placesIn(inputs).filter((each) => each.length > 0 && !isOfChart(each))) {
        const changed = resources.map(
          (each, at): RecordedInputs =>
            at === index ? { ...each, inputs: withUnknown(inputs, path) as RecordedInputs["inputs"] } : each,
        );
        const { violations, undecided } = evaluatePolicies(changed, { project: "inference-stacks", stack: "test" });
        if (
          !WAITING.includes(path.join(".")) &&
          ![...violations, ...undecided].some((said) => said.policy === policy)
        ) {
          green.push(path.join("."));
        }
      }
    }
    expect(green).toEqual([]);
  },
);
