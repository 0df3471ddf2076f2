import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { ProblemDraft } from "../config/core/problems";
import type { Rule, RuleContext } from "../config/core/rule";
import { NAMESPACE } from "../config/core/schema";
import type {
  AddonSecrets,
  AddonSpec,
  Buildable,
  Built,
  Configured,
  Foundation,
  Given,
  LaidOut,
  OwnSection,
  Planned,
  SecretField,
} from "./contract";

type Parts = AddonSpec<string, z.ZodType, string, unknown, pulumi.ComponentResource>;

/** Result of a part of an add-on's contract; `undefined` without the part. */
type Bound<Part extends keyof Parts, Known> = (
  known: Known,
) => ReturnType<Extract<NonNullable<Parts[Part]>, (given: never) => unknown>> | undefined;

/** An active add-on with settings and secrets bound: all add-ons look alike from here. */
export interface ActiveAddon {
  readonly key: string;
  readonly componentName: string;
  readonly volumes: Bound<"volumes", Configured>;
  readonly problems: Bound<"problems", Planned>;
  readonly advice: Bound<"advice", Planned>;
  readonly engineControl: Bound<"engineControl", Planned>;
  readonly outside: Bound<"outside", Planned>;
  readonly services: Bound<"services", Planned>;
  readonly runTimeModels: Bound<"runTimeModels", Planned>;
  readonly traceReceiver: Bound<"traceReceiver", Planned>;
  readonly metricsApi: Bound<"metricsApi", Planned>;
  readonly requestSource: Bound<"requestSource", Planned>;
  readonly targets: Bound<"targets", Planned>;
  readonly namespaces: Bound<"namespaces", Planned>;
  readonly keepers: Bound<"keepers", Planned>;
  readonly connections: Bound<"connections", LaidOut>;
  readonly loadBuild: () => Promise<(known: Foundation) => Built<pulumi.ComponentResource>>;
}

export interface Addon<
  Key extends string = string,
  Section extends z.ZodType = z.ZodType,
  SecretKey extends string = string,
  Component = pulumi.ComponentResource,
> extends Buildable<Component>,
    Pick<Parts, "alerts" | "dashboards"> {
  readonly key: Key;
  readonly section: Section;
  readonly secrets: Readonly<Record<SecretKey, SecretField>>;
  /** Problems of its section beyond single fields, and of its secrets. */
  readonly check: (context: RuleContext<OwnSection<Key, Section>>) => ProblemDraft[];
  /** `undefined` where the environment leaves it off. */
  readonly activate: (
    environment: OwnSection<Key, Section>,
    secrets: AddonSecrets<SecretKey>,
  ) => ActiveAddon | undefined;
}

export function addon<
  Key extends string,
  Section extends z.ZodType,
  Settings,
  Component extends pulumi.ComponentResource,
  SecretKey extends string = never,
>(spec: AddonSpec<Key, Section, SecretKey, Settings, Component>): Addon<Key, Section, SecretKey, Component> {
  const { key, section, secrets, alerts, dashboards, rules = [], load } = spec;
  return {
    key,
    section,
    // Without secrets no key can be missing.
    secrets: secrets ?? ({} as Readonly<Record<SecretKey, SecretField>>),
    alerts,
    dashboards,
    load,
    check: (context) => [...rules, requiredSecretsAreSet(spec)].flatMap((rule) => [...rule(context)]),
    activate: (environment, ownSecrets) => {
      const own = environment[key];
      const settings = own === undefined || own === null ? undefined : spec.settings(own);
      if (settings === undefined) {
        return undefined;
      }
      const bind =
        <Known, Result>(part: ((given: Given<Known, Settings, SecretKey>) => Result) | undefined) =>
        (known: Known) =>
          part?.({ ...known, settings, secrets: ownSecrets });
      return {
        key,
        componentName: spec.componentName ?? key,
        volumes: bind(spec.volumes),
        problems: bind(spec.problems),
        advice: bind(spec.advice),
        engineControl: bind(spec.engineControl),
        outside: bind(spec.outside),
        services: bind(spec.services),
        runTimeModels: bind(spec.runTimeModels),
        traceReceiver: bind(spec.traceReceiver),
        metricsApi: bind(spec.metricsApi),
        requestSource: bind(spec.requestSource),
        targets: bind(spec.targets),
        namespaces: bind(spec.namespaces),
        keepers: bind(spec.keepers),
        connections: bind(spec.connections),
        loadBuild: async () => {
          const { build } = await load();
          return (known) => build({ ...known, settings, secrets: ownSecrets });
        },
      };
    },
  };
}

function requiredSecretsAreSet<
  Key extends string,
  Section extends z.ZodType,
  SecretKey extends string,
  Settings,
  Component extends pulumi.ComponentResource,
>({
  key,
  requiredSecrets,
  settings,
}: AddonSpec<Key, Section, SecretKey, Settings, Component>): Rule<OwnSection<Key, Section>> {
  return function* ({ sections, declared }) {
    const section = sections[key];
    if (section === undefined || section === null || settings(section) === undefined) {
      return;
    }
    for (const [secret, reason] of Object.entries(requiredSecrets ?? {})) {
      if (!declared.secrets.includes(secret)) {
        yield {
          path: [secret],
          value: undefined,
          allowed: `a secret, with the section ${key}: ${reason}`,
          fix: `run pulumi config set --secret ${NAMESPACE}:${secret}`,
        };
      }
    }
  };
}
