/** Templates that every project has, by upstream's names. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { DashboardTemplate } from './dashboard-template.ts';
import { PRODUCT } from './product.ts';
import { WEBSITE } from './website.ts';

const TEMPLATES: Readonly<Record<string, DashboardTemplate>> = { DEFAULT_APP: PRODUCT, WEBSITE_TRAFFIC: WEBSITE };

/** Whether the template is one of ours. */
export function isBuiltIn(template: DashboardTemplate): boolean {
  return Object.values(TEMPLATES).includes(template);
}

export const TEMPLATE_NAMES = Object.keys(TEMPLATES);

/** @throws InvalidInput when there is none of this name */
export function getTemplate(name: string): DashboardTemplate {
  if (Object.hasOwn(TEMPLATES, name)) return TEMPLATES[name]!;
  throw new InvalidInput(`Invalid template provided: ${name}`, 'use_template');
}

/** @returns undefined when none has the tag */
export function findTemplateByTag(tag: string): DashboardTemplate | undefined {
  return Object.values(TEMPLATES).find(({ tags }) => tags.includes(tag));
}
