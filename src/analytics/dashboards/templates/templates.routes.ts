/** Creates dashboards from a template in the request, and unlisted dashboards. */
import { InvalidInput } from '../../../platform/errors.ts';
import { entityTag } from '../../../platform/http/parameters/preconditions.ts';
import { json, route } from '../../../platform/http/route.ts';
import { Type } from '../../../platform/schema.ts';
import type { DashboardManagementApi } from '../dashboards.routes.ts';
import { DashboardBody } from '../schema.ts';
import { TemplateBody, templateOf } from './template.ts';

const createFromTemplate = route({
  method: 'post',
  path: '/dashboards/create_from_template_json/',
  access: { scope: 'dashboard:write', sessionOnly: true },
  body: Type.Object({ template: TemplateBody }),
  answers: { 200: DashboardBody },
  summary: 'Create a dashboard from a template in the request',
  async handle({ project, caller, rights, body }, { dashboards }: DashboardManagementApi) {
    const actor = { project, caller, rights };
    const dashboard = await dashboards.createFrom(actor, templateOf(body.template));
    const shownDashboard = await dashboards.show(actor, dashboard);
    return json(200, shownDashboard, { ETag: entityTag(dashboard.version) });
  },
});

const createUnlisted = route({
  method: 'post',
  path: '/dashboards/create_unlisted_dashboard/',
  errors: [409],
  access: { scope: 'dashboard:write', sessionOnly: true },
  body: Type.Object({ tag: Type.Optional(Type.String({ maxLength: 255 })) }),
  answers: { 201: DashboardBody },
  summary: 'Create the unlisted dashboard for a tag',
  description:
    'A project has one unlisted dashboard for each tag. It starts as the built-in template with that tag, or ' +
    'empty if there is none.',
  async handle({ project, caller, rights, body }, { dashboards }: DashboardManagementApi) {
    const tag = body.tag?.trim().toLowerCase();
    if (!tag) throw new InvalidInput('tag is required', 'tag', 'required');
    const actor = { project, caller, rights };
    const dashboard = await dashboards.createUnlisted(actor, tag);
    const shownDashboard = await dashboards.show(actor, dashboard);
    return json(201, shownDashboard, { ETag: entityTag(dashboard.version) });
  },
});

export const templateRoutes = [createFromTemplate, createUnlisted];
