import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { IsolatedNamespace } from "../../../../components/core/isolated-namespace";
import { PlatformComponent } from "../../../../components/core/platform-component";
import type { Built, Foundation, Given } from "../../../../stacks/addons/contract";
import { observability } from "../../../../stacks/addons/observability/addon";
import type { NotesConfig, NotesSecret } from "./config";

interface NotesArgs {
  readonly metricsUrl: string | undefined;
  readonly token: pulumi.Output<string> | undefined;
}

class Notes extends PlatformComponent {
  constructor(name: string, { metricsUrl, token }: NotesArgs, opts: pulumi.ComponentResourceOptions) {
    super("notes:Notes", name, opts);
    const { namespace } = new IsolatedNamespace(this.child("ns"), { namespace: "notes" }, this.childOptions());
    new kubernetes.core.v1.Secret(
      this.child("settings"),
      { metadata: { name: "notes", namespace }, stringData: { token: token ?? "", metricsUrl: metricsUrl ?? "none" } },
      this.childOptions(),
    );
    this.registerOutputs();
  }
}

export function build({
  settings,
  secrets,
  component,
  store,
  name,
  options,
}: Given<Foundation, NotesConfig, NotesSecret>): Built<Notes> {
  const metricsUrl = component(observability)?.prometheusUrl;
  return {
    component: new Notes(name, { metricsUrl, token: secrets.notesToken }, options(...(store ? [store] : []))),
    stackOutputs: { notes: `https://${settings.hostname}` },
  };
}
