import type * as pulumi from "@pulumi/pulumi";
import { Chosen } from "../names/chosen";

/** A repository's own change to the resources of its platform. */
export const chosenTransform = new Chosen<pulumi.ResourceTransformation>("transforms");
