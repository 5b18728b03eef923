/** Every component with its states, for whoever changes one and for the screenshots that compare. */
import { useState } from 'react';
import {
  Badge,
  Button,
  Cell,
  Checkbox,
  Column,
  ConfirmDialog,
  CopyButton,
  Dialog,
  EmptyState,
  ErrorState,
  Icon,
  IconButton,
  iconNames,
  Kbd,
  Loading,
  Menu,
  NumberField,
  Page,
  Row,
  SearchField,
  Select,
  SidePanel,
  Switch,
  Table,
  TableBody,
  TableHeader,
  Tabs,
  TextField,
  Time,
  toast,
} from '../components';
import { ApiError } from '../api';
import './dev.css';

const OPTIONS = [
  { value: 'guarded', label: 'guarded', description: 'Asks only for sensitive files.' },
  { value: 'full', label: 'full', description: 'Never asks.' },
];

export default function ComponentsPage() {
  const [on, setOn] = useState(true);
  const [text, setText] = useState('Some text');
  const [number, setNumber] = useState(60);
  const [choice, setChoice] = useState('guarded');
  const [open, setOpen] = useState<'dialog' | 'confirm' | 'panel' | null>(null);
  return (
    <Page
      title="Components"
      detail="Development"
      side={
        open === 'panel' && (
          <SidePanel title="Side panel" onClose={() => setOpen(null)}>
            The list stays in view.
          </SidePanel>
        )
      }
    >
      <div className="specimens">
        <Specimen name="Button">
          <Button onPress={() => {}}>Secondary</Button>
          <Button variant="primary">Primary</Button>
          <Button variant="danger">Danger</Button>
          <Button variant="plain">Plain</Button>
          <Button icon="plus">With icon</Button>
          <Button isDisabled>Disabled</Button>
          <Button isPending>Waiting</Button>
        </Specimen>
        <Specimen name="IconButton">
          <IconButton icon="reset" label="Reset" />
          <IconButton icon="star" label="Star" isActive />
          <IconButton icon="trash" label="Delete" isDisabled />
          <CopyButton text={text} label="Copy text" />
        </Specimen>
        <Specimen name="Switch, Checkbox">
          <Switch isSelected={on} onChange={setOn}>
            Switch
          </Switch>
          <Switch isSelected={!on} onChange={(next) => setOn(!next)} aria-label="The other way" />
          <Switch isSelected onChange={() => {}} isDisabled aria-label="Disabled" />
          <Checkbox isSelected={on} onChange={setOn}>
            Checkbox
          </Checkbox>
          <Checkbox isSelected={false} onChange={() => {}}>
            Not chosen
          </Checkbox>
        </Specimen>
        <Specimen name="TextField">
          <TextField label="Name" value={text} onChange={setText} help="Shown to members." />
          <TextField label="With a reason" value={text} onChange={setText} error="At most 4 characters." />
          <TextField label="Long" rows={3} value={text} onChange={setText} counter={8} />
          <TextField label="Disabled" value="Fixed" isDisabled />
        </Specimen>
        <Specimen name="NumberField">
          <NumberField
            label="CPU cap"
            value={number}
            onChange={setNumber}
            minValue={25}
            maxValue={90}
            step={5}
            suffix="%"
          />
          <NumberField label="With a reason" value={number} onChange={setNumber} error="25 to 90, in steps of 5." />
        </Specimen>
        <Specimen name="Select, SearchField">
          <Select label="Permission level" options={OPTIONS} value={choice} onChange={setChoice} />
          <Select label="With a reason" options={OPTIONS} value={null} onChange={setChoice} error="Choose one." />
          <SearchField aria-label="Search" placeholder="Search" defaultValue="" />
        </Specimen>
        <Specimen name="Menu, Dialog, toast">
          <Menu
            label="Actions"
            groups={[
              {
                label: 'Copy',
                entries: [{ id: 'key', label: 'Copy key', icon: 'copy', keys: 'C', onAction: () => {} }],
              },
              {
                entries: [
                  { id: 'off', label: 'Not now', isDisabled: true, onAction: () => {} },
                  { id: 'delete', label: 'Delete', icon: 'trash', isDanger: true, onAction: () => {} },
                ],
              },
            ]}
          >
            <Button>Menu</Button>
          </Menu>
          <Button onPress={() => setOpen('dialog')}>Dialog</Button>
          <Button onPress={() => setOpen('confirm')}>Confirm</Button>
          <Button onPress={() => setOpen('panel')}>Side panel</Button>
          <Button onPress={() => toast.done('Saved', { undo: () => {} })}>Toast with undo</Button>
          <Button onPress={() => toast.problem('Not saved', new Error('25 to 90, in steps of 5.'))}>
            Problem toast
          </Button>
        </Specimen>
        <Specimen name="Badge, Kbd, Time">
          <Badge>Neutral</Badge>
          <Badge tone="accent">Accent</Badge>
          <Badge tone="good" icon="check">
            Good
          </Badge>
          <Badge tone="warn" icon="restart">
            Restart
          </Badge>
          <Badge tone="bad" icon="warning">
            Bad
          </Badge>
          <Kbd keys="Ctrl K" />
          <Time at="2026-01-05T08:00:00Z" />
        </Specimen>
        <Specimen name="Tabs">
          <Tabs
            label="Views"
            tabs={[
              { id: 'one', label: 'Table', content: 'The first view.' },
              { id: 'two', label: 'Calendar', content: 'The second view.' },
            ]}
          />
        </Specimen>
        <Specimen name="Table">
          <Table aria-label="Items">
            <TableHeader>
              <Column isRowHeader>Item</Column>
              <Column isNumeric>Points</Column>
            </TableHeader>
            <TableBody>
              <Row id="1">
                <Cell>Write the plan</Cell>
                <Cell isNumeric>3</Cell>
              </Row>
              <Row id="2">
                <Cell>Ship it</Cell>
                <Cell isNumeric>13</Cell>
              </Row>
            </TableBody>
          </Table>
        </Specimen>
        <Specimen name="States">
          <EmptyState icon="board" title="No boards yet" action={<Button variant="primary">Create a board</Button>}>
            A board holds items with typed columns.
          </EmptyState>
          <ErrorState
            title="Boards could not be read"
            error={new ApiError(409, { code: 'conflict', detail: 'Another program changed it meanwhile.' })}
            onRetry={() => {}}
          />
          <Loading />
        </Specimen>
        <Specimen name="Icons">
          {iconNames.map((name) => (
            <span key={name} className="specimen-icon">
              <Icon name={name} />
              {name}
            </span>
          ))}
        </Specimen>
      </div>
      <Dialog
        title="Rename board"
        isOpen={open === 'dialog'}
        onClose={() => setOpen(null)}
        actions={
          <Button variant="primary" onPress={() => setOpen(null)}>
            Rename
          </Button>
        }
      >
        <TextField label="Name" value={text} onChange={setText} />
      </Dialog>
      <ConfirmDialog
        title="Delete this board?"
        action="Delete"
        isOpen={open === 'confirm'}
        onClose={() => setOpen(null)}
        onConfirm={() => toast.done('Deleted')}
      >
        Its 12 items go with it. This cannot be undone.
      </ConfirmDialog>
    </Page>
  );
}

function Specimen({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <section className="specimen">
      <h2>{name}</h2>
      <div>{children}</div>
    </section>
  );
}
