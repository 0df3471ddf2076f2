import type { KubernetesObject } from "../kubernetes/object";
import { isRecord } from "./kubernetes-object";
import { PendingText, type PendingValue, type TextPart } from "./pending-values";
import { RenderRefusedError } from "./refusal";
import { nameOf, type RemoteReference, type RemoteSecrets, type SecretPlace } from "./remote-secrets";

const API = "external-secrets.io/v1";

/** Content of a Secret, key by key: plain text, or text that needs secret values. */
type SecretContent = readonly (readonly [key: string, text: string | PendingText])[];

/** Gives the values that are alone in a Secret their place under the Secret's own name. */
export function claimValues(secret: KubernetesObject, remote: RemoteSecrets): void {
  for (const [key, text] of contentOf(secret)) {
    if (text instanceof PendingText && text.value) {
      remote.claim(text.value, placeOf(secret, key));
    }
  }
}

/**
 * What Git holds in place of a Secret: an ExternalSecret that builds it in the cluster from the secret store. Texts
 * without secrets stay readable in its template.
 *
 * @throws RenderRefusedError when nothing in it is secret: Git holds no Secret, so that a rule can forbid them there.
 */
export function externalSecret(secret: KubernetesObject, remote: RemoteSecrets): KubernetesObject {
  const content = contentOf(secret);
  const { name, namespace, labels } = secret.metadata;
  const type = typeof secret.type === "string" ? secret.type : "Opaque";
  const metadata = { name, namespace, labels };
  const template = { engineVersion: "v2", mergePolicy: "Replace", type, metadata: { labels } };
  const base = {
    refreshInterval: "1h0m0s",
    target: { name, creationPolicy: "Owner", deletionPolicy: "Retain", template },
  };
  if (content.every(([, text]) => !(text instanceof PendingText))) {
    throw new RenderRefusedError([
      `Secret ${namespace}/${name}: nothing in it is secret. Make it a ConfigMap, or values of the chart that reads it.`,
    ]);
  }

  const fetched = new Map<string, RemoteReference>();
  const variable = (wanted: string, reference: RemoteReference): string => {
    const other = fetched.get(wanted);
    if (other && (other.key !== reference.key || other.property !== reference.property)) {
      throw new Error(`Secret ${namespace}/${name} needs two values that would both be called ${wanted}: rename a key`);
    }
    fetched.set(wanted, reference);
    return wanted;
  };
  const expression = (key: string, text: string | PendingText): string => {
    const place = placeOf(secret, key);
    if (!(text instanceof PendingText)) {
      return literal(text);
    }
    if (text.parts === undefined) {
      return `{{ .${variable(identifier(key), remote.useOpaque(place))} }}`;
    }
    const whole = text.value;
    if (whole) {
      return `{{ .${variable(identifier(key), remote.use(whole, place))} }}`;
    }
    const { parts } = text;
    // The template's own function writes the quotes around a value, and escapes what it holds.
    return parts
      .map((part, i) =>
        typeof part === "string"
          ? literal(part.slice(isQuoted(parts, i - 1) ? 1 : 0, isQuoted(parts, i + 1) ? -1 : undefined))
          : inside(part, place, isQuoted(parts, i)),
      )
      .join("");
  };
  const inside = (part: Exclude<TextPart, string>, place: SecretPlace, quoted: boolean): string =>
    "id" in part
      ? `{{ .${shared(part, place)}${quoted ? " | quote" : ""} }}`
      : `{{ .${shared(part.sha256Of, place)} | sha256sum }}`;
  const shared = (value: PendingValue, place: SecretPlace): string =>
    variable(identifier(nameOf(value)), remote.use(value, { ...place, property: nameOf(value) }));
  const data = Object.fromEntries(content.map(([key, text]) => [key, expression(key, text)]));
  return {
    apiVersion: API,
    kind: "ExternalSecret",
    metadata,
    spec: {
      ...base,
      secretStoreRef: { kind: "ClusterSecretStore", name: remote.store },
      target: { ...base.target, template: { ...template, data } },
      data: [...fetched].map(([secretKey, reference]) => ({ secretKey, remoteRef: withDefaults(reference) })),
    },
  };
}

/** Whether a part is a value between double quotes, as in JSON and in YAML where a text may hold anything. */
function isQuoted(parts: readonly TextPart[], i: number): boolean {
  const [before, part, after] = [parts[i - 1], parts[i], parts[i + 1]];
  const isValue = typeof part === "object" && "id" in part;
  return (
    isValue && typeof before === "string" && before.endsWith('"') && typeof after === "string" && after.startsWith('"')
  );
}

/** The CRD's defaults, written out: otherwise Argo CD sees a difference to what the API server stores. */
function withDefaults(reference: RemoteReference) {
  return { ...reference, conversionStrategy: "Default", decodingStrategy: "None", metadataPolicy: "None" };
}

function contentOf({ data, stringData }: KubernetesObject): SecretContent {
  const encoded = isRecord(data) ? Object.entries(data) : [];
  const texts = isRecord(stringData) ? Object.entries(stringData) : [];
  return [
    // Base64 hides its parts: the value as a whole must come from the store.
    ...encoded.map(([key, text]) => [key, decoded(text)] as const),
    ...texts.map(([key, text]) => [key, text instanceof PendingText ? text : String(text)] as const),
  ];
}

function decoded(text: unknown): string | PendingText {
  return text instanceof PendingText ? new PendingText(undefined) : Buffer.from(String(text), "base64").toString();
}

function placeOf({ metadata }: KubernetesObject, property: string): SecretPlace {
  return { namespace: metadata.namespace ?? "default", secret: metadata.name, property };
}

/** Text as it comes out of a Go template unchanged. */
function literal(text: string): string {
  return text.replaceAll("{{", '{{ "{{" }}');
}

/** Name that a Go template can follow a dot with. */
function identifier(name: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return /^\d/.test(safe) ? `_${safe}` : safe;
}
