import { credentialIn, isCredentialName, isCredentialVariable, isLiteral } from "../lib/credentials";
import type { Field } from "../lib/field";
import { helmValues } from "../lib/helm-values";
import { type Container, containers, podTemplates } from "../lib/pods";
import { type Report, resourcePolicy } from "../lib/policy";
import type { Resource } from "../lib/resource";

export const noPlaintextSecret = resourcePolicy(
  {
    name: "no-plaintext-secret",
    description:
      "No credential stands in an environment variable, a command line, a ConfigMap or Helm values; the data of Secrets are Pulumi secrets.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["secrets"],
    remediationSteps:
      "Put the value into a Secret made from a Pulumi secret, and refer to it by secretKeyRef, a mounted file or the chart's existingSecret.",
  },
  (resource, report) => {
    for (const container of podTemplates(resource).flatMap(containers)) {
      checkEnvironment(resource, container, report);
      checkCommandLine(resource, container, report);
    }
    if (resource.kind === "ConfigMap") {
      for (const [key, field] of resource.props.get("data").entries()) {
        judge(resource, field, isCredentialName(key), report);
      }
    }
    for (const { key, field } of helmValues(resource)) {
      judge(resource, field, isCredentialName(key), report);
    }
    if (resource.kind === "Secret") {
      checkSecret(resource, report);
    }
  },
);

function checkEnvironment(resource: Resource, { field }: Container, report: Report): void {
  for (const variable of field.get("env").items()) {
    const name = variable.get("name").text();
    judge(resource, variable.get("value"), name !== undefined && isCredentialVariable(name), report);
  }
}

function checkCommandLine(resource: Resource, { field }: Container, report: Report): void {
  for (const argument of [...field.get("command").items(), ...field.get("args").items()]) {
    const [, flag, value] = /^--?([\w-]+)=(.+)$/s.exec(argument.text() ?? "") ?? [];
    const isCredential = flag !== undefined && value !== undefined && isCredentialName(flag) && isLiteral(value);
    judge(resource, argument, isCredential, report);
  }
}

/** Reports a text whose name or content gives it away, without repeating it. */
function judge(resource: Resource, field: Field, isNamedCredential: boolean, report: Report): void {
  const text = typeof field.value === "string" || isNamedCredential ? field.text() : undefined;
  if (text === undefined) {
    return;
  }
  const content = credentialIn(text);
  if (content !== undefined || (isNamedCredential && isLiteral(text))) {
    const found =
      content === undefined
        ? "holds a literal value under the name of a credential"
        : `holds what looks like ${content}`;
    report({ resource, field, found, allowed: "a reference to a Secret, never the value" });
  }
}

function checkSecret(resource: Resource, report: Report): void {
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
