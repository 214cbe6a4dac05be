export { invokeTemplates } from "./invoke-templates.ts";
export { invokeTool } from "./invoke-tool.ts";
