import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import './theme.css';
import './components/components.css';
import './shell/shell.css';
import { applyTheme } from './preferences';
import { signInFromAddress } from './session';

applyTheme();
void signInFromAddress();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
