import { deploy } from "./deploy";

export = deploy;
