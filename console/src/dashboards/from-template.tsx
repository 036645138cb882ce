/** Dashboards from built-in templates: buttons for an empty page, and a menu for the list. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../look/button.tsx';
import { Actions } from '../look/dialog.tsx';
import { MenuButton } from '../look/menu/menu.tsx';
import { Failure } from '../look/notes.tsx';
import { makeFromTemplate } from './dashboards-data.ts';

const TEMPLATES = { DEFAULT_APP: 'Product dashboard', WEBSITE_TRAFFIC: 'Website dashboard' };

/** A request that makes a dashboard from the named template and opens it. */
export function useTemplates(projectId: number) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (template: string) => makeFromTemplate(projectId, template),
    async onSuccess({ id }) {
      await navigate({ to: '/project/$projectId/dashboards/$dashboardId', params: { projectId, dashboardId: id } });
      await queries.invalidateQueries({ queryKey: ['dashboards', projectId, 'list'] });
    },
  });
}

export function FromTemplate({ projectId }: { projectId: number }) {
  const making = useTemplates(projectId);
  return (
    <>
      <Actions>
        {Object.entries(TEMPLATES).map(([template, label], index) => (
          <Button
            key={template}
            kind={index === 0 ? 'primary' : 'plain'}
            isPending={making.isPending && making.variables === template}
            isDisabled={making.isPending}
            onPress={() => making.mutate(template)}
          >
            Create a {label.toLowerCase()}
          </Button>
        ))}
      </Actions>
      {making.isError && <Failure error={making.error} />}
    </>
  );
}

export function NewDashboard({ making }: { making: ReturnType<typeof useTemplates> }) {
  const actions = Object.entries(TEMPLATES).map(([template, label]) => [label, () => making.mutate(template)] as const);
  return (
    <MenuButton
      label="New dashboard"
      kind="primary"
      isPending={making.isPending}
      actions={Object.fromEntries(actions)}
    />
  );
}
