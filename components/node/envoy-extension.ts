/** Building blocks of Envoy 1.40 configuration. */
const TYPE = "type.googleapis.com/envoy";

export interface Extension {
  readonly name: string;
  readonly typed_config: object;
}

/** @param type of the message, below `envoy.` */
export function extension(name: string, type: string, config: object = {}): Extension {
  return { name, typed_config: message(type, config) };
}

export function message(type: string, config: object = {}): object {
  return { "@type": `${TYPE}.${type}`, ...config };
}

export function socket(address: string, port: number) {
  return { socket_address: { address, port_value: port } };
}

/** Replaces all headers of the name; an empty value clears it. */
export function header(key: string, value: string) {
  return { header: { key, value }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD", keep_empty_value: true };
}

export const JSON_CONTENT = header("content-type", "application/json");

/** Text with Envoy's operators escaped. */
export function literal(text: string): string {
  return text.replaceAll("%", "%%");
}

export function methodIs(method: string) {
  return { name: ":method", string_match: { exact: method } };
}

export function duration(seconds: number): string {
  return `${seconds}s`;
}
