import { describe, expect, it } from "vitest";
import { policies } from "../../../policies/all";
import type { RecordedInputs } from "../../../policies/evaluate";
import type { PolicyContext } from "../../../policies/lib/policy";
import { servedPolicies } from "../../../policies/lib/served";
import { object, resource, UNKNOWN } from "../cases";

type Properties = Readonly<Record<string, unknown>>;

/** A resource with what the engine tells of it before, and at the end. */
interface Told {
  readonly resource: RecordedInputs;
  readonly outputs: Properties;
  /** @default those of the resource */
  readonly inputs?: Properties;
}

/** One operation of an engine with a pack that it has started for it. */
function operation(...told: readonly Told[]) {
  const lines: string[] = [];
  return {
    ...run(
      servedPolicies(policies, (line) => lines.push(line)),
      told,
    ),
    lines,
  };
}

function run(pack: ReturnType<typeof servedPolicies>, told: readonly Told[]) {
  const violations: string[] = [];
  const undecided = new Set<string>();
  const judge = (name: string, validate: (context: PolicyContext, report: (message: string) => void) => void) => {
    const context: PolicyContext = {
      getConfig: <T extends object>() => ({}) as T,
      notApplicable: () => {
        undecided.add(name);
        throw new Error("not applicable");
      },
    };
    try {
      validate(context, (message) => violations.push(`${name}: ${message}`));
    } catch (error) {
      expect((error as Error).message).toBe("not applicable");
    }
  };
  const facts = ({ resource: { type, name, urn, custom, options } }: Told, props: Properties) => ({
    ...{ type, name, urn, props, opts: options },
    ...(custom && { provider: {} }),
  });
  for (const each of told) {
    for (const policy of pack) {
      if (!("validateStack" in policy)) {
        judge(policy.name, (context, report) =>
          policy.validateResource({ ...facts(each, each.inputs ?? each.resource.inputs), ...context }, report),
        );
      }
    }
  }
  const resources = told.map((each) => facts(each, each.outputs));
  for (const policy of pack) {
    if ("validateStack" in policy) {
      judge(policy.name, (context, report) => policy.validateStack({ resources, ...context }, report));
    }
  }
  return { violations, undecided: [...undecided].sort() };
}

const openService = object("core/v1", "Service", { spec: { type: "LoadBalancer" } }, { namespace: "shop" });
const proxies = object(
  "gateway.envoyproxy.io/v1alpha1",
  "EnvoyProxy",
  { spec: { provider: { kubernetes: { envoyService: { type: "ClusterIP" } } } } },
  { namespace: "shop" },
);
const machines = (volume: unknown) =>
  object("karpenter.k8s.aws/v1", "EC2NodeClass", { spec: { blockDeviceMappings: volume } });
const volumes = (encrypted: unknown) => [{ ebs: { encrypted } }];
const namespace = object(
  "core/v1",
  "Namespace",
  {},
  { name: "shop", labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
);
const component: RecordedInputs = { ...resource("inference:platform:Platform", {}), custom: false };

const NOTHING = {};

describe("resources of which the engine tells no outputs", () => {
  it("are judged by what the program declared", () => {
    const { violations } = operation(
      { resource: openService, outputs: NOTHING },
      { resource: namespace, outputs: NOTHING },
    );
    expect(violations).toEqual([
      expect.stringMatching(/^network-policy-per-namespace: Namespace "shop": .* has no default-deny NetworkPolicy/),
      expect.stringMatching(/^no-public-endpoint: Service .* spec\.type is "LoadBalancer"/),
    ]);
  });

  it("lack nothing that the program declared, and what it did not know is undecided by name", () => {
    const { violations, undecided, lines } = operation(
      { resource: proxies, outputs: NOTHING },
      { resource: machines(volumes(UNKNOWN)), outputs: NOTHING },
    );
    expect(violations).toEqual([]);
    expect(undecided).toEqual(["encryption-at-rest"]);
    expect(lines).toEqual([
      "undecided: encryption-at-rest, unknown until deployment: spec.blockDeviceMappings[0].ebs.encrypted",
    ]);
  });

  it("lack nothing where the engine told no inputs either, as of what is no target", () => {
    for (const each of [openService, proxies, machines([]), namespace]) {
      const { violations, undecided } = operation({ resource: each, inputs: NOTHING, outputs: NOTHING });
      expect(violations).toEqual([]);
      expect(undecided.length).toBeGreaterThan(0);
    }
  });

  it("are nothing to decide on where they are components", () => {
    const { violations, undecided, lines } = operation({ resource: component, inputs: NOTHING, outputs: NOTHING });
    expect({ violations, undecided, lines }).toEqual({ violations: [], undecided: [], lines: [] });
  });
});

describe("resources with outputs", () => {
  it("are judged by those, whatever was declared", () => {
    const { violations } = operation({ resource: machines(volumes(true)), outputs: machines([]).inputs });
    expect(violations).toEqual([expect.stringContaining("spec.blockDeviceMappings is []; allowed: true")]);
  });

  it("are judged by what was declared where their outputs are unknown", () => {
    const { violations } = operation({
      resource: machines(volumes(false)),
      outputs: machines(volumes(UNKNOWN)).inputs,
    });
    expect(violations).toEqual([expect.stringContaining("blockDeviceMappings[0].ebs.encrypted is false")]);
  });
});

it("a pack that serves a second operation judges what that one declares", () => {
  const lines: string[] = [];
  const pack = servedPolicies(policies, (line) => lines.push(line));
  const closed = { ...openService, inputs: { ...openService.inputs, spec: { type: "ClusterIP" } } };
  expect(run(pack, [{ resource: openService, outputs: NOTHING }]).violations).toHaveLength(1);
  expect(run(pack, [{ resource: closed, outputs: NOTHING }]).violations).toEqual([]);
  expect(run(pack, [{ resource: closed, inputs: NOTHING, outputs: NOTHING }]).undecided).toContain(
    "no-public-endpoint",
  );
  expect(lines).toContainEqual(expect.stringMatching(/^undecided: no-default-namespace, of 1 resource$/));
});
