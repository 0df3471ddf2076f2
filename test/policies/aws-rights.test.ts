import { describe, expect, test } from "vitest";
import resources from "../../policies/data/aws-resources.json";
import rights from "../../policies/data/aws-rights.json";
import known from "./aws-known-ways.json";

const powers: readonly string[] = Object.values(rights.onEverything).flat();
const elsewhere = Object.keys(rights.elsewhere);
const actions: ReadonlySet<string> = new Set(Object.values(known.accessLevels).flat());

describe("actions of AWS that lead further", () => {
  test("are written as AWS writes them, each once, sorted within their reason", () => {
    expect(powers.filter((action) => !/^[a-z0-9-]+:([A-Z][A-Za-z0-9]+|connect)$/.test(action))).toEqual([]);
    expect(new Set([...powers, ...elsewhere]).size).toBe(powers.length + elsewhere.length);
    for (const list of [...Object.values(rights.onEverything), elsewhere]) {
      expect(list).toEqual([...list].sort());
    }
  });

  test("exist, and nothing else is recorded of AWS than what is named", () => {
    expect([...powers, ...elsewhere].sort()).toEqual([...actions].sort());
  });

  test.each(known.combinations)("%s holds one of them, or passes a role", (combination) => {
    expect(combination.split(" ").filter((action) => [...powers, "iam:PassRole"].includes(action))).not.toEqual([]);
  });

  test("hold what returns credentials, or say why not", () => {
    expect(known.returnCredentials.filter((action) => ![...powers, ...elsewhere].includes(action))).toEqual([]);
  });

  test("have the ARNs of what they are used on, by service", () => {
    const services = [...new Set(powers.map((action) => action.split(":")[0]))].sort();
    // Its one resource has a fixed name.
    expect(Object.keys(resources.arns)).toEqual(services.filter((service) => service !== "finspace-api"));
    const arns = Object.values(resources.arns).flat();
    expect(
      arns.filter((arn) => !/^arn:\{partition\}:[\w-]+:(\{region\})?:(\{account\}|aws)?:.*\{name\}/.test(arn)),
    ).toEqual([]);
  });
});
