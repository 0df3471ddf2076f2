import { holdsCredential } from "../lib/credential-texts";
import {
  credentialIn,
  credentialsOfCommandLine,
  isCredentialName,
  isCredentialVariable,
  isLiteral,
  knownFormatIn,
} from "../lib/credentials";
import { type Field, isObject } from "../lib/field";
import { waitsForItsCluster } from "../lib/kubeconfig";
import { type Report, resourcePolicy } from "../lib/policy";
import { HELM_CHART, type Resource } from "../lib/resource";
import { broken, type Row } from "../lib/rows";
import { secretPlaces } from "../lib/secret-places";

interface NamesConfig {
  readonly publicNames: readonly string[];
}

/** Short values can be guessed, so they count as plaintext. */
const SHORT: readonly Row[] = [
  {
    on: ["random:index/randomPassword:RandomPassword"],
    path: "length",
    isWrong: (length) => Number(length) < 16,
    allowed: "16 characters or more",
  },
];

export const noPlaintextSecret = resourcePolicy<NamesConfig>(
  {
    name: "no-plaintext-secret",
    description:
      "No credential is in plain text in a Kubernetes object of any kind (variables, command lines, annotations, ConfigMaps, custom resources), in Helm values, or in what machines, providers, repositories and commands are given; the data of Secrets are Pulumi secrets, and none is a lasting token of an account.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["secrets"],
    configSchema: {
      properties: {
        publicNames: {
          type: "array",
          items: { type: "string" },
          default: [],
          description: "Names that are public although they look like random keys.",
        },
      },
    },
    remediationSteps:
      "Put the value into a Secret made from a Pulumi secret, and refer to it by secretKeyRef, a mounted file or the chart's existingSecret.",
  },
  (resource, report, { publicNames }) => {
    if (waitsForItsCluster(resource)) {
      return;
    }
    for (const finding of broken(SHORT, resource)) {
      report({ resource, ...finding });
    }
    if (resource.kind === "Secret") {
      checkSecret(resource, report);
      return;
    }
    // An argument is found as a command-line part and as text: its place is reported once.
    const reported = new Set<string>();
    for (const setting of settingsOf(resource)) {
      const found = credentialAt(setting, publicNames);
      if (found !== undefined && !reported.has(setting.field.path)) {
        reported.add(setting.field.path);
        report({ resource, field: setting.field, found, allowed: "a reference to a Secret, never the value" });
      }
    }
  },
);

function settingsOf(resource: Resource): Setting[] {
  const { kind, type, props } = resource;
  const elsewhere = secretPlaces(resource).flatMap(({ field, isNamed }) =>
    settingsIn(field, keyOf(field)).map((setting) => ({
      ...setting,
      isNamed: isNamed || setting.isNamed,
      isElsewhere: true,
    })),
  );
  if (HELM_CHART.test(type)) {
    return [...elsewhere, ...settingsIn(asked(props.get("values")), "")];
  }
  if (elsewhere.length > 0) {
    return elsewhere;
  }
  if (kind === undefined || kind === "CustomResourceDefinition") {
    return [];
  }
  if (kind === "ConfigMap") {
    asked(props.get("data"));
    asked(props.get("binaryData"));
  }
  return settingsIn(props, "");
}

function keyOf({ path }: Field): string {
  return path.replace(/^.*\./, "");
}

/** An unknown value makes the result unknown. */
function asked(field: Field): Field {
  field.entries();
  return field;
}

interface Setting {
  readonly field: Field;
  readonly isNamed: boolean;
  /** Decoded base64. */
  readonly text?: string;
  /**
   * Outside Kubernetes machine keys and identifiers are common: random-looking text is ignored.
   * @default false
   */
  readonly isElsewhere?: boolean;
}

const COMMAND_LINES = ["command", "args"];

function settingsIn(field: Field, key: string): Setting[] {
  if (Array.isArray(field.value)) {
    return field.items().flatMap((item) => settingsIn(item, ""));
  }
  if (!isObject(field.value)) {
    // Reads, so that an unknown credential is remembered.
    const isNamed = isCredentialName(key) && field.is((value) => typeof value === "string");
    return typeof field.value === "string" ? [{ field, isNamed }] : [];
  }
  const name = field.get("name").value;
  return [
    ...commandLine(field),
    ...field.entries().flatMap(([child, value]) => {
      // Name and value pairs: variables, headers of probes, parameters.
      if (child === "value" && typeof name === "string") {
        // A route's header pattern describes a credential and is none, unless its text shows one.
        return field.get("type").value === "RegularExpression" ? settingsIn(value, "") : pair(value, name);
      }
      if (key === "binaryData" && typeof value.value === "string") {
        return [
          { field: value, isNamed: isCredentialName(child), text: Buffer.from(value.value, "base64").toString() },
        ];
      }
      // `redisPassword: { value: … }` is named by its holder.
      return value.value === undefined ? [] : settingsIn(value, child === "value" ? key : child);
    }),
  ];
}

function pair(field: Field, name: string): Setting[] {
  const given = typeof field.value === "string" ? field.value : "";
  const isNamed = isCredentialVariable(name, given) && field.is((value) => typeof value === "string");
  return typeof field.value === "string" ? [{ field, isNamed }] : settingsIn(field, "");
}

function commandLine(holder: Field): Setting[] {
  const words = COMMAND_LINES.filter((list) => Array.isArray(holder.get(list).value))
    .flatMap((list) => holder.get(list).items())
    .flatMap((place) => (typeof place.value === "string" ? [{ text: place.value, place }] : []));
  return words.length === 0 ? [] : credentialsOfCommandLine(words).map((field) => ({ field, isNamed: true }));
}

/** Never repeats the text. */
function credentialAt(
  { field, isNamed, isElsewhere = false, text = String(field.value) }: Setting,
  publicNames: readonly string[],
): string | undefined {
  const content = isElsewhere ? knownFormatIn(plain(text)) : credentialIn(text, publicNames);
  if (content !== undefined) {
    return `holds what looks like ${content}`;
  }
  if (holdsCredential(isElsewhere ? plain(text) : text)) {
    return "holds a literal value after the name of a credential";
  }
  return isNamed && isLiteral(String(field.value)) ? "holds a literal value under the name of a credential" : undefined;
}

/** Decodes base64, as scripts of machines are given. */
function plain(text: string): string {
  return text.length >= 24 && /^[A-Za-z0-9+/=\s]+$/.test(text) ? Buffer.from(text, "base64").toString() : text;
}

function checkSecret(resource: Resource, report: Report): void {
  const type = resource.props.get("type");
  if (type.is((value) => value === "kubernetes.io/service-account-token")) {
    report({ resource, field: type, allowed: "tokens that the kubelet renews: this one never ends" });
  }
  for (const property of ["data", "stringData"]) {
    const field = resource.props.get(property);
    if (resource.secretInputs && !resource.secretInputs.includes(property) && field.entries().length > 0) {
      report({
        resource,
        field,
        found: "is no Pulumi secret, so the state file would hold it in plain text",
        allowed: "pulumi.secret(…)",
      });
    }
  }
}
